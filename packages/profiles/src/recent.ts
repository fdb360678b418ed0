import { getRandomValues } from 'node:crypto'

/** Facts that were added lately, as far as there is room; what was not asked for lately makes room for others. */
export type Recent = { has(fact: string): boolean; add(fact: string): void }

/** Facts that share a place. */
const ways = 4

/** Others in each process, so that nobody can choose texts that are taken for those of others. */
const seeds = getRandomValues(new Uint32Array(2))
/** Two hashes of 32 bits over the UTF-16 units of a text (as FNV-1a, with two primes), mixed at the end. */
const hashes = new Uint32Array(2)
const hash = (text: string): void => {
  let one = seeds[0] ?? 0
  let two = seeds[1] ?? 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    two = Math.imul(two ^ unit, 0x5bd1e995) ^ (two >>> 15)
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b)
  two = Math.imul(two ^ (two >>> 13), 0xc2b2ae35)
  hashes[0] = one ^ (one >>> 13)
  // 0 stands for an empty place.
  hashes[1] = two ^ (two >>> 16) || 1
}

/**
 * Makes a bounded memory of facts: `2 ** bits` of them, 8 bytes each. It keeps hashes of 64 bits, so that one in 10^13 that
 * it says to know with a million in it was never added.
 */
export const createRecent = (bits: number): Recent => {
  const places = 2 ** bits / ways
  const known = new Uint32Array(places * ways * 2)
  /** Where a hash stands, or would: the first of the ways is the one that was used last. */
  const startOf = (): number => ((hashes[0] ?? 0) & (places - 1)) * ways * 2

  /** Puts the hash first and moves those before `until` back. */
  const toFront = (start: number, until: number): void => {
    known.copyWithin(start + 2, start, until)
    known[start] = hashes[0] ?? 0
    known[start + 1] = hashes[1] ?? 0
  }

  return {
    has(fact) {
      hash(fact)
      const start = startOf()
      for (let at = start; at < start + ways * 2; at += 2)
        if (known[at] === hashes[0] && known[at + 1] === hashes[1]) {
          toFront(start, at)
          return true
        }
      return false
    },
    add(fact) {
      hash(fact)
      const start = startOf()
      toFront(start, start + (ways - 1) * 2)
    },
  }
}
