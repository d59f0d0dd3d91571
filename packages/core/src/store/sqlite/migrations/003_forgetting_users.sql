-- What there is of one user, ended subscriptions included.
CREATE INDEX subscriptions_of_user ON subscriptions (app, user) WHERE user IS NOT NULL;
