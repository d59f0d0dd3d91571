import type Database from "better-sqlite3";
import type { StoreClock } from "../../../engine/store.ts";
import { Leases } from "../leases.ts";
import { AccessChanges } from "./access-changes.ts";
import { Apps } from "./apps.ts";
import { Calls } from "./calls.ts";
import { Conversations } from "./conversations.ts";
import { Deliveries } from "./deliveries.ts";
import { Events } from "./events.ts";
import { Jtis } from "./jtis.ts";
import { Meta } from "./meta.ts";
import { Occurrences } from "./occurrences.ts";
import { Retention } from "./retention.ts";
import { Routes } from "./routes.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Tickets } from "./tickets.ts";

/** Every table of one connection, with its statements prepared. */
export interface Tables {
  readonly accessChanges: AccessChanges;
  readonly apps: Apps;
  readonly calls: Calls;
  readonly conversations: Conversations;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly jtis: Jtis;
  readonly leases: Leases;
  readonly meta: Meta;
  readonly occurrences: Occurrences;
  readonly retention: Retention;
  readonly routes: Routes;
  readonly subscriptions: Subscriptions;
  readonly tickets: Tickets;
}

export function openTables(database: Database.Database, clock: StoreClock): Tables {
  const apps = new Apps(database);
  const routes = new Routes(database);
  const retention = new Retention(database, routes);
  const subscriptions = new Subscriptions(database, apps, routes, retention.newestSubscription());
  return {
    accessChanges: new AccessChanges(database, apps),
    apps,
    calls: new Calls(database),
    conversations: new Conversations(database),
    deliveries: new Deliveries(database),
    events: new Events(database, apps),
    jtis: new Jtis(database, clock),
    leases: new Leases(),
    meta: new Meta(database),
    occurrences: new Occurrences(database, apps, routes, retention.newestOccurrence()),
    retention,
    routes,
    subscriptions,
    tickets: new Tickets(database, subscriptions),
  };
}
