/** Texts that were added lately: at least the last `size` of them, at most twice as many. */
export type Recent = { has(text: string): boolean; add(text: string): void }

/** Makes a bounded memory of texts. One that is asked for is kept as if it had been added. */
export const createRecent = (size: number): Recent => {
  let young = new Set<string>()
  let old = new Set<string>()
  const add = (text: string): void => {
    young.add(text)
    if (young.size < size) return
    old = young
    young = new Set()
  }
  return {
    has(text) {
      if (young.has(text)) return true
      if (!old.has(text)) return false
      add(text)
      return true
    },
    add,
  }
}
