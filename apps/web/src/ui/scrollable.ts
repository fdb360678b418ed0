/** Spread on an element that scrolls, so that a keyboard can reach and scroll it. */
export const scrollable = { tabIndex: 0 } as const
