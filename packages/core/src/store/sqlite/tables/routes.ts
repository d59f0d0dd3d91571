import type Database from "better-sqlite3";

/** How many live subscriptions each route has, so that an emit need not count rows; and how far retention has gone. */
export class Routes {
  private readonly selectLive: Database.Statement<[Buffer], number>;
  private readonly selectPrunedTo: Database.Statement<[Buffer], number>;
  private readonly increment: Database.Statement<[Buffer]>;
  private readonly decrement: Database.Statement<[Buffer]>;
  private readonly removeEmpty: Database.Statement<[Buffer]>;
  private readonly updatePrunedTo: Database.Statement<[number, Buffer]>;

  constructor(database: Database.Database) {
    this.selectLive = database.prepare<[Buffer], number>("SELECT live FROM routes WHERE route = ?").pluck();
    this.selectPrunedTo = database.prepare<[Buffer], number>("SELECT pruned_to FROM routes WHERE route = ?").pluck();
    this.increment = database.prepare("INSERT INTO routes (route, live) VALUES (?, 1) ON CONFLICT (route) DO UPDATE SET live = live + 1");
    this.decrement = database.prepare("UPDATE routes SET live = live - 1 WHERE route = ?");
    this.removeEmpty = database.prepare("DELETE FROM routes WHERE route = ? AND live <= 0");
    this.updatePrunedTo = database.prepare("UPDATE routes SET pruned_to = max(pruned_to, ?) WHERE route = ?");
  }

  live(route: Buffer): number {
    return this.selectLive.get(route) ?? 0;
  }

  prunedTo(route: Buffer): number {
    return this.selectPrunedTo.get(route) ?? 0;
  }

  subscribed(route: Buffer): void {
    this.increment.run(route);
  }

  ended(route: Buffer): void {
    this.decrement.run(route);
    this.removeEmpty.run(route);
  }

  pruned(route: Buffer, seq: number): void {
    this.updatePrunedTo.run(seq, route);
  }
}
