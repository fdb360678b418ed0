/**
 * One step of a set-up guide. `{{origin}}`, `{{host}}` (the origin without its scheme) and
 * `{{writeKey}}` in text and code stand for the reader's own values.
 */
export type SourceGuideStep = { title: string; text: string; code?: string; language?: string }

/** An entry of the source catalogue, `catalogSources/{slug}`. */
export type SourceDefinition = {
  /** Kebab-case, stable: sources keep it. */
  slug: string
  title: string
  /** One paragraph. */
  description: string
  /** Web 1, Mobile 2, Server 3, Warehouse 4, Cloud 5, Offline 6, Unspecified 7. */
  type: number
  /** Where the documentation of the library is. */
  docsUrl?: string
  /** SVG text, square, without scripts or outside references. */
  logo: string
  guide: readonly SourceGuideStep[]
}
