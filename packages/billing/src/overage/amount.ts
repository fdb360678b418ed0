import { profileBlock } from '@tributary/contract'

/** The terms by which the profiles of a period are billed. */
export type OverageTerms = {
  /** Included profiles; -1 if more profiles are not billed. */
  included: number
  /** The price of each started block, in minor units of the currency. */
  price: number
  currency: string
}

/** Returns the number of started blocks of profiles beyond the included ones. */
export const startedBlocks = (profiles: number, { included }: Pick<OverageTerms, 'included'>): number =>
  included < 0 ? 0 : Math.ceil(Math.max(0, profiles - included) / profileBlock)

/** Returns the maximum number of blocks within a cap; undefined if there is no cap, or its currency differs. */
export const blocksWithin = (
  cap: { amount: number; currency: string } | undefined,
  { price, currency }: OverageTerms,
): number | undefined =>
  cap === undefined || cap.currency !== currency || price === 0 ? undefined : Math.floor(cap.amount / price)

/** Returns the number of started blocks that are billed. */
export const billedBlocks = (started: number, most: number | undefined): number =>
  most === undefined ? started : Math.min(started, most)
