import { describe, expect, test } from "vitest";
import { decideTrust, mayContact, withAnswer } from "./trust-decision.ts";
import type { TrustRules } from "./trust-decision.ts";

const none: TrustRules = { allowed: [], denied: [], local: [] };
const core = "https://wake.example.com";

describe("which cores and apps may wake", () => {
  test("nobody does before the user answers, loopback included", () => {
    expect(decideTrust(none, core, "app_1")).toBe("waiting");
    expect(decideTrust(none, "http://127.0.0.1:4870", "app_1")).toBe("waiting");
    expect(mayContact(none, core)).toBe(false);
  });

  test("a core started here does", () => {
    const rules = { ...none, local: ["http://127.0.0.1:4870"] };
    expect(decideTrust(rules, "http://127.0.0.1:4870", "app_1")).toBe("allowed");
    expect(decideTrust(rules, "http://127.0.0.1:4871", "app_1")).toBe("waiting");
    expect(mayContact(rules, "http://127.0.0.1:4870")).toBe(true);
  });

  test("an answer about one app leaves the others waiting", () => {
    const rules = withAnswer(none, "allow", { origin: core, app: "app_1" });
    expect(decideTrust(rules, core, "app_1")).toBe("allowed");
    expect(decideTrust(rules, core, "app_2")).toBe("waiting");
    expect(mayContact(rules, core)).toBe(true);
  });

  test("what is said about one app goes before what is said about its origin", () => {
    const denied = withAnswer(withAnswer(none, "allow", { origin: core }), "deny", { origin: core, app: "app_1" });
    expect(decideTrust(denied, core, "app_1")).toBe("denied");
    expect(decideTrust(denied, core, "app_2")).toBe("allowed");
    const allowed = withAnswer(withAnswer(none, "deny", { origin: core }), "allow", { origin: core, app: "app_1" });
    expect(decideTrust(allowed, core, "app_1")).toBe("allowed");
    expect(decideTrust(allowed, core, "app_2")).toBe("denied");
  });

  test("an answer about a whole origin takes the place of those about its apps", () => {
    const denied = withAnswer(withAnswer(none, "allow", { origin: core, app: "app_1" }), "deny", { origin: core });
    expect(decideTrust(denied, core, "app_1")).toBe("denied");
    expect(mayContact(denied, core)).toBe(false);
    const allowed = withAnswer(withAnswer(none, "deny", { origin: core, app: "app_1" }), "allow", { origin: core });
    expect(decideTrust(allowed, core, "app_1")).toBe("allowed");
    const elsewhere = withAnswer(withAnswer(none, "allow", { origin: "https://b.example", app: "app_1" }), "deny", { origin: core });
    expect(decideTrust(elsewhere, "https://b.example", "app_1")).toBe("allowed");
  });

  test("the newest answer to the same question counts, also against a core started here", () => {
    const local = { ...none, local: [core] };
    const denied = withAnswer(local, "deny", { origin: core });
    expect(decideTrust(denied, core, "app_1")).toBe("denied");
    expect(mayContact(denied, core)).toBe(false);
    expect(decideTrust(withAnswer(denied, "allow", { origin: core }), core, "app_1")).toBe("allowed");
  });
});
