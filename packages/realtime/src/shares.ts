/** Who can hold places of the gateway. */
export type ShareKind = 'address' | 'user' | 'workspace'

/** Who holds how many places. Generic over the connection, no I/O. */
export type Shares<C> = {
  /** Counts a connection for somebody, once however often; false, and not counted, when their share is taken. */
  claim(connection: C, kind: ShareKind, id: string): boolean
  /** Counts a closed connection for nobody any more. */
  leave(connection: C): void
  count(kind: ShareKind, id: string): number
}

/** An empty registry with so many places for one of each kind. */
export const createShares = <C>(limits: Readonly<Record<ShareKind, number>>): Shares<C> => {
  const counts = new Map<string, number>()
  const claims = new Map<C, Set<string>>()
  const nameOf = (kind: ShareKind, id: string): string => `${kind} ${id}`
  return {
    claim(connection, kind, id) {
      const name = nameOf(kind, id)
      const own = claims.get(connection) ?? new Set()
      if (own.has(name)) return true
      const count = counts.get(name) ?? 0
      if (count >= limits[kind]) return false
      counts.set(name, count + 1)
      claims.set(connection, own.add(name))
      return true
    },
    leave(connection) {
      for (const name of claims.get(connection) ?? []) {
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
      claims.delete(connection)
    },
    count: (kind, id) => counts.get(nameOf(kind, id)) ?? 0,
  }
}
