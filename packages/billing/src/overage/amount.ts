import { profileBlock } from '@tributary/contract'

/** By what the profiles of a period are billed. */
export type OverageTerms = {
  /** Profiles that are included; -1 where more are not billed. */
  included: number
  /** What each started block costs, in minor units of the currency. */
  price: number
  currency: string
}

/** How many blocks of profiles were begun beyond those included. */
export const startedBlocks = (profiles: number, { included }: Pick<OverageTerms, 'included'>): number =>
  included < 0 ? 0 : Math.ceil(Math.max(0, profiles - included) / profileBlock)

/** How many blocks a cap allows; undefined without a cap, and with one in another currency. */
export const blocksWithin = (
  cap: { amount: number; currency: string } | undefined,
  { price, currency }: OverageTerms,
): number | undefined =>
  cap === undefined || cap.currency !== currency || price === 0 ? undefined : Math.floor(cap.amount / price)

/** How many blocks are billed of those that were begun. */
export const billedBlocks = (started: number, most: number | undefined): number =>
  most === undefined ? started : Math.min(started, most)
