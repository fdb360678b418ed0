/** IDs of the events of an insert. */
export const idsOf = (number: number): string[] => Array.from({ length: 50 }, (_, index) => `${number}-${index}`)

/** Rows of an insert, always the same for a number. */
export const rowsOf = (number: number): string[] =>
  idsOf(number).map((id) =>
    JSON.stringify({ event_id: id, receive_time: '2026-11-21 06:00:00', properties: { id, number } }),
  )

/** The token by which a repeated insert is recognized. */
export const tokenOf = (number: number): string => `token-${number}`
