/** Bytes of bodies that may be in memory at the same time, each counted for an owner. */
export type BodyBudget = {
  /** Counts bytes for an owner; false, and nothing counted, when the owner's share or the whole would be exceeded. */
  take(owner: string, bytes: number): boolean
  give(owner: string, bytes: number): void
  used(): number
  usedBy(owner: string): number
}

/**
 * A budget of `limit` bytes of which one owner holds at most `share`, and never more than is then left free.
 * The second rule shrinks the shares while the budget fills up (dynamic thresholds, Choudhury and Hahne 1998), so that
 * owners who hold all they can still leave something for the next.
 */
export const createBodyBudget = ({ limit, share }: { limit: number; share: number }): BodyBudget => {
  const held = new Map<string, number>()
  let used = 0
  return {
    take(owner, bytes) {
      const own = (held.get(owner) ?? 0) + bytes
      if (own > share || own > limit - used - bytes) return false
      used += bytes
      held.set(owner, own)
      return true
    },
    give(owner, bytes) {
      if (bytes === 0) return
      used -= bytes
      const left = (held.get(owner) ?? 0) - bytes
      if (left > 0) held.set(owner, left)
      else held.delete(owner)
    },
    used: () => used,
    usedBy: (owner) => held.get(owner) ?? 0,
  }
}
