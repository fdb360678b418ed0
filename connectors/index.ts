export { listedDataSources, listedDestinations, listedSources } from './catalog.generated.ts'

/** The file of a connector's logo. */
export const logoFile = (kind: 'data-sources' | 'destinations' | 'sources', slug: string): URL =>
  new URL(`./${kind}/${slug}/logo.svg`, import.meta.url)

/** How buckets are spoken to, read when somebody has one. */
export const loadBucketLanguage = () => import('./wire/s3/language.ts')
