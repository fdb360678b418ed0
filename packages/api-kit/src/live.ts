/** Sends an event to those who listen to a realtime channel, best effort. */
export type LiveChannel = (channel: string, event: string, data: unknown) => void
