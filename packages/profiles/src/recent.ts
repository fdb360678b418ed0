import { getRandomValues } from 'node:crypto'

/** A fact as a hash of 64 bits of its texts: two numbers of 32. */
export type Fact = { readonly one: number; readonly two: number }

/** Recently added facts, within a limit; facts that were not read recently are replaced. */
export type Recent = { has(fact: Fact): boolean; add(fact: Fact): void }

/** Number of facts in one bucket. */
const ways = 4

/** Different in each process, so that no sender can choose texts with the hash of others. */
const seeds = getRandomValues(new Uint32Array(2))

/** Separates two texts; no character has this code. */
const between = 0x10000

/**
 * Hashes facts, one after the other. Joining the texts and hashing the joined one costs twice as much, and leaves
 * garbage for each event.
 */
export class FactWriter implements Fact {
  one = 0
  two = 0

  /** Starts another fact, from the common begin of several. */
  begin({ one, two }: Fact = { one: seeds[0] ?? 0, two: seeds[1] ?? 0 }): this {
    this.one = one
    this.two = two
    return this
  }

  /** Adds a text: two hashes of 32 bits over its UTF-16 units, as FNV-1a, with two primes. */
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

  /** A copy of the current fact. */
  kept(): Fact {
    return { one: this.one, two: this.two }
  }
}

/** One text for each fact, to distinguish the few of a batch. */
export const factKey = ({ one, two }: Fact): string => `${one} ${two}`

/**
 * Creates a bounded memory of facts: `2 ** bits` of them, 8 bytes each. It keeps hashes of 64 bits: with a million
 * facts in it, one in 10^13 is reported as known and was never added.
 */
export const createRecent = (bits: number): Recent => {
  const places = 2 ** bits / ways
  const known = new Uint32Array(places * ways * 2)
  /** The requested fact, its bits mixed. */
  let first = 0
  let second = 0
  /** The start of the fact's bucket: the first entry is the last one used. */
  const startOf = ({ one, two }: Fact): number => {
    const mixed = Math.imul(one ^ (one >>> 16), 0x85ebca6b)
    const other = Math.imul(two ^ (two >>> 13), 0xc2b2ae35)
    first = (mixed ^ (mixed >>> 13)) >>> 0
    // 0 stands for an empty place.
    second = (other ^ (other >>> 16)) >>> 0 || 1
    return (first & (places - 1)) * ways * 2
  }

  /** Puts the fact first and moves those before `until` back. */
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
