import { type PersonalTarget, personalDataProblem, personalHashes } from '@tributary/connector-kit'
import { advertisingIdOf } from '../../wire/conversions/advertising-id.ts'
import { tiktokNormalization } from '../../wire/normalization/tiktok.ts'

/**
 * The kinds of IDs that a request names, in the order of its columns ("Add or delete segment mappings",
 * ads.tiktok.com/marketing_api/docs?id=1739940585975809; the same list has RudderStack, `tiktok_audience/config.ts`). A
 * phone number has the form E.164, with its plus sign.
 */
export const idKinds = ['EMAIL_SHA256', 'PHONE_SHA256', 'IDFA_SHA256', 'IDFA_MD5', 'AAID_SHA256', 'AAID_MD5'] as const
export type IdKind = (typeof idKinds)[number]

/** The IDs of a person by their kinds. */
export type MatchIds = ReadonlyMap<IdKind, string>

/*
 * "List of supported IDs and formats for a customer file" (ads.tiktok.com/help/article/
 * how-to-create-a-custom-audience-with-a-customer-file): emails and advertising IDs in lower case without spaces.
 */

export const emailTarget = { pii: 'email', comparable: tiktokNormalization.email } as const satisfies PersonalTarget
export const phoneTarget = { pii: 'phone', comparable: tiktokNormalization.phone } as const satisfies PersonalTarget

const hashOfNothing = 'd41d8cd98f00b204e9800998ecf8427e'

/** Returns an MD5 hash, which TikTok takes for advertising IDs; '' for that of an empty text, and for zeros. */
const md5Of = (text: string): string | undefined => {
  if (!/^[0-9a-f]{32}$/i.test(text)) return undefined
  const lower = text.toLowerCase()
  return lower === hashOfNothing || /^0+$/.test(lower) ? '' : lower
}

export const advertisingIdTarget = {
  pii: 'text',
  comparable: (text: string): string => advertisingIdOf(text)?.toLowerCase() ?? '',
  vendorHash: md5Of,
} as const satisfies PersonalTarget

/** The data of a person before it is hashed; hashes stay as they are. */
export type GivenIds = Readonly<{
  email?: unknown
  phone?: unknown
  country?: string | undefined
  /** IDs of iOS and Android. */
  idfa?: unknown
  aaid?: unknown
}>

const deviceKind = (system: 'IDFA' | 'AAID', hash: string): IdKind =>
  `${system}_${hash.length === 32 ? 'MD5' : 'SHA256'}`

/** Returns whether an advertising ID is that of iOS or of Android, by the system of the device. */
export const systemOf = (written: string | undefined): 'idfa' | 'aaid' =>
  // Segment sends each advertising ID as IDFA_SHA256 (`tiktok-audiences/functions.ts`, `getIDSchema`).
  written?.trim().toLowerCase() === 'android' ? 'aaid' : 'idfa'

/** Returns the IDs by which TikTok matches a person; `problems` says why others are not sent. */
export const matchIdsOf = (given: GivenIds): { ids: MatchIds; problems: readonly string[] } => {
  const ids = new Map<IdKind, string>()
  const problems: string[] = []
  const add = (name: string, target: PersonalTarget, value: unknown, kindOf: (hash: string) => IdKind): void => {
    const [hash] = personalHashes(target, value, given.country)
    if (hash !== undefined) ids.set(kindOf(hash), hash)
    const problem = personalDataProblem(target, value, given.country)
    if (problem !== undefined) problems.push(`${name} ${problem}`)
  }
  add('email', emailTarget, given.email, () => 'EMAIL_SHA256')
  add('phone', phoneTarget, given.phone, () => 'PHONE_SHA256')
  add('idfa', advertisingIdTarget, given.idfa, (hash) => deviceKind('IDFA', hash))
  add('aaid', advertisingIdTarget, given.aaid, (hash) => deviceKind('AAID', hash))
  return { ids, problems }
}
