/** A member of a presence channel. */
export type Member = { userId: string; userInfo: unknown }

export type Channels<C> = {
  /** Adds a subscriber, for presence channels with its member. Returns whether the member is new in the channel. */
  join(channel: string, connection: C, member?: Member): { newMember: boolean }
  /** Removes a subscriber. Returns its member if the member has no other connection in the channel. */
  leave(channel: string, connection: C): { goneMember?: string }
  has(channel: string, connection: C): boolean
  subscribers(channel: string): Iterable<C>
  count(channel: string): number
  memberOf(channel: string, connection: C): Member | undefined
  /** Returns the members of a presence channel by user ID, with the info of their first connection. */
  members(channel: string): Map<string, unknown>
  names(): string[]
}

/**
 * Creates an empty registry of subscribers by channel. Calls `onChange` when a channel gets its first subscriber or
 * loses its last one.
 */
export const createChannels = <C>(onChange: () => void): Channels<C> => {
  const channels = new Map<string, Map<C, Member | undefined>>()
  const isThere = (channel: string, userId: string): boolean => {
    for (const member of channels.get(channel)?.values() ?? []) if (member?.userId === userId) return true
    return false
  }
  return {
    join(channel, connection, member) {
      const newMember = member !== undefined && !isThere(channel, member.userId)
      const subscribers = channels.get(channel)
      if (subscribers !== undefined) {
        subscribers.set(connection, member)
        return { newMember }
      }
      channels.set(channel, new Map([[connection, member]]))
      onChange()
      return { newMember }
    },
    leave(channel, connection) {
      const subscribers = channels.get(channel)
      if (subscribers === undefined) return {}
      const member = subscribers.get(connection)
      if (!subscribers.delete(connection)) return {}
      if (subscribers.size === 0) {
        channels.delete(channel)
        onChange()
      }
      return member === undefined || isThere(channel, member.userId) ? {} : { goneMember: member.userId }
    },
    has: (channel, connection) => channels.get(channel)?.has(connection) ?? false,
    subscribers: (channel) => channels.get(channel)?.keys() ?? [],
    count: (channel) => channels.get(channel)?.size ?? 0,
    memberOf: (channel, connection) => channels.get(channel)?.get(connection),
    members(channel) {
      const members = new Map<string, unknown>()
      for (const member of channels.get(channel)?.values() ?? []) {
        if (member !== undefined && !members.has(member.userId)) members.set(member.userId, member.userInfo)
      }
      return members
    },
    names: () => [...channels.keys()],
  }
}
