import type { Conversion } from '@tributary/contract'

/** Of the conversions that were read, those that a destination (a resource name, '' for any) has, with this status there. */
export const atPlatform = <Row extends Pick<Conversion, 'platforms'>>(
  conversions: readonly Row[],
  { destination, status }: { destination: string; status: string },
): Row[] =>
  conversions.filter(
    ({ platforms }) =>
      destination === '' ||
      platforms.some((each) => each.destination === destination && (status === '' || each.status === status)),
  )
