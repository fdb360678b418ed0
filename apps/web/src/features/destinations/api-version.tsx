import type { CatalogDestination } from '@tributary/contract'

const dayText = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { dateStyle: 'long', timeZone: 'UTC' })

/** The version of the vendor's API that a destination uses, with its end if the vendor has announced one. */
export const ApiVersion = ({
  version,
  docs_url: page,
  end_date: end,
}: NonNullable<CatalogDestination['api_version']>) => (
  <p className="border-t border-line pt-3 text-xs text-ink-2">
    Version of its API:{' '}
    <a
      href={page}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="rounded-sm font-medium text-accent-ink hover:underline"
    >
      {version}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
    {end !== null && `, until ${dayText(end)}`}
  </p>
)
