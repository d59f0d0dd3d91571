/** Whether who asked for a publish is still there to hear what it did. */
export type Heard = () => boolean;

/** Which changes a publish under way will be answered with: each is told to one of those that hear of it. */
export class Telling {
  readonly #tellers = new Map<number, Heard>();

  /** Takes those of these changes that nobody who hears is about to be told of, and keeps them until `end`. */
  begin(numbers: readonly number[], heard: Heard): readonly number[] {
    const free = numbers.filter((number) => this.#tellers.get(number)?.() !== true);
    for (const number of free) this.#tellers.set(number, heard);
    return free;
  }

  /** Those that are to be told to this one: none once it has left, nor those that another one took over since then. */
  still(numbers: readonly number[], heard: Heard): readonly number[] {
    return heard() ? numbers.filter((number) => this.#tellers.get(number) === heard) : [];
  }

  end(numbers: readonly number[], heard: Heard): void {
    for (const number of numbers) if (this.#tellers.get(number) === heard) this.#tellers.delete(number);
  }
}
