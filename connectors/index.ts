export { listedDataSources, listedDestinations, listedSources } from './catalog.generated.ts'

/** The file of a connector's logo. */
export const logoFile = (kind: 'data-sources' | 'destinations' | 'sources', slug: string): URL =>
  new URL(`./${kind}/${slug}/logo.svg`, import.meta.url)

/** The protocol of buckets, loaded on first use. */
export const loadBucketLanguage = () => import('./wire/s3/language.ts')
