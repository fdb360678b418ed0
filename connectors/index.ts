export { listedDataSources, listedDestinations, listedSources } from './catalog.generated.ts'

/** Returns the URL of the file with a connector's logo. */
export const logoFile = (kind: 'data-sources' | 'destinations' | 'sources', slug: string): URL =>
  new URL(`./${kind}/${slug}/logo.svg`, import.meta.url)

/** Loads the protocol of buckets on first use. */
export const loadBucketLanguage = () => import('./wire/s3/language.ts')

/** Loads the names of normalizations, and the texts of described destinations, for destinations that workspaces describe. */
export const loadDescriptions = async () => {
  const [{ describedTexts }, { normalizations }] = await Promise.all([
    import('./load-described.ts'),
    import('./wire/normalization/index.ts'),
  ])
  return { normalizations, textsOf: describedTexts }
}
