/** Announces to a screen reader that the region around it is loading. */
export const LoadingNote = () => <output className="sr-only">Loading</output>
