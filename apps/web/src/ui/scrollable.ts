/** Attributes of an element that scrolls, so that keyboard users can reach and scroll it. */
export const scrollable = { tabIndex: 0 } as const
