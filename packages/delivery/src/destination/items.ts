/** The name of an event at a destination, by which it is held if it blocks a thread. */
export const deliveryItem = (destinationId: string, eventId: string): string => `delivery ${destinationId} ${eventId}`

/** The name of batches of a destination: which of their events blocks a thread is found by sending fewer at once. */
export const batchesItem = (destinationId: string): string => `batches ${destinationId}`
