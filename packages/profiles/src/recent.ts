import { getRandomValues } from 'node:crypto'

/** A fact as a 64-bit hash of its texts, in two 32-bit numbers. */
export type Fact = { readonly one: number; readonly two: number }

/** A bounded cache of facts; facts that were not read recently are evicted. */
export type Recent = { has(fact: Fact): boolean; add(fact: Fact): void }

/** Number of facts per bucket. */
const ways = 4

/** Seeds of the hashes. They differ in each process, so that no sender can choose texts whose hashes collide. */
const seeds = getRandomValues(new Uint32Array(2))

/** Separates two texts; no character has this code. */
const between = 0x10000

/**
 * Hashes facts, one after the other. Joining the texts before hashing would cost twice as much and allocate memory for
 * each event.
 */
export class FactWriter implements Fact {
  one = 0
  two = 0

  /** Starts a new fact; `fact` is a common beginning of several facts. */
  begin({ one, two }: Fact = { one: seeds[0] ?? 0, two: seeds[1] ?? 0 }): this {
    this.one = one
    this.two = two
    return this
  }

  /** Adds a text: two 32-bit FNV-1a hashes over its UTF-16 units, with two different primes. */
  add(text: string): this {
    let { one, two } = this
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      one = Math.imul(one ^ unit, 0x01000193)
      two = Math.imul(two ^ unit, 0x5bd1e995) ^ (two >>> 15)
    }
    this.one = Math.imul(one ^ between, 0x01000193)
    this.two = Math.imul(two ^ between, 0x5bd1e995) ^ (two >>> 15)
    return this
  }

  /** Returns a copy of the current fact. */
  kept(): Fact {
    return { one: this.one, two: this.two }
  }
}

/** Returns a unique text for each fact, to distinguish the few facts of a batch. */
export const factKey = ({ one, two }: Fact): string => `${one} ${two}`

/**
 * Creates a bounded cache of `2 ** bits` facts, 8 bytes each. The cache stores 64-bit hashes: with a million facts, one
 * in 10^13 look-ups of an absent fact finds it by mistake.
 */
export const createRecent = (bits: number): Recent => {
  const places = 2 ** bits / ways
  const known = new Uint32Array(places * ways * 2)
  /** The mixed hash bits of the fact that `startOf` last received. */
  let first = 0
  let second = 0
  /** Returns the position of the fact's bucket, whose first entry is the one that was used last. */
  const startOf = ({ one, two }: Fact): number => {
    const mixed = Math.imul(one ^ (one >>> 16), 0x85ebca6b)
    const other = Math.imul(two ^ (two >>> 13), 0xc2b2ae35)
    first = (mixed ^ (mixed >>> 13)) >>> 0
    // 0 marks an empty entry.
    second = (other ^ (other >>> 16)) >>> 0 || 1
    return (first & (places - 1)) * ways * 2
  }

  /** Moves the fact to the front of its bucket, and the entries before `until` one position back. */
  const toFront = (start: number, until: number): void => {
    known.copyWithin(start + 2, start, until)
    known[start] = first
    known[start + 1] = second
  }

  return {
    has(fact) {
      const start = startOf(fact)
      for (let at = start; at < start + ways * 2; at += 2)
        if (known[at] === first && known[at + 1] === second) {
          if (at !== start) toFront(start, at)
          return true
        }
      return false
    },
    add(fact) {
      const start = startOf(fact)
      toFront(start, start + (ways - 1) * 2)
    },
  }
}
