/** The offset before which records of a partition are sent again; 0 where none are. */
export const sentAgainBefore = (note: string | undefined): number => Number(note ?? 0)

/** The note of a partition that is set back from a position, whatever its note says: it may have been set back before. */
export const sentAgainNote =
  (position: number) =>
  (note: string): string =>
    String(Math.max(position, sentAgainBefore(note)))
