import * as access from "./checks/access.mjs";
import * as away from "./checks/away.mjs";
import * as calling from "./checks/calling.mjs";
import * as defining from "./checks/defining.mjs";
import * as delivering from "./checks/delivering.mjs";
import * as listing from "./checks/listing.mjs";
import * as opening from "./checks/opening.mjs";
import * as passing from "./checks/passing.mjs";
import * as recognizing from "./checks/recognizing.mjs";
import * as upgrading from "./checks/upgrading.mjs";

/** Every check by its name, as checks.json lists it. */
export const CHECKS = {
  ...access,
  ...away,
  ...calling,
  ...defining,
  ...delivering,
  ...listing,
  ...opening,
  ...passing,
  ...recognizing,
  ...upgrading,
};
