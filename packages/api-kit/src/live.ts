/** Sends an event to the subscribers of a realtime channel, best effort. */
export type LiveChannel = (channel: string, event: string, data: unknown) => void
