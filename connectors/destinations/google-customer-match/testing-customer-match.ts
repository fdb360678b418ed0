import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { answerOf, errorOf } from '../../wire/google/testing-data-manager.ts'

/** The credentials of the simulated vendor. */
export const token = 'ya29.match-0123456789'
export const customer = '1234567890'
export const list = '8012345678'

type Identifier = { emailAddress?: string; phoneNumber?: string; address?: Record<string, string> }

/** A person as the simulated vendor receives them. */
export type AudienceMember = {
  compositeData?: { userData?: { userIdentifiers?: Identifier[] }; ipData?: { ipAddress?: string }[] }
  mobileData?: { mobileIds?: string[] }
  userIdData?: { userId?: string }
  consent?: Record<string, string>
}

type Body = {
  destinations?: { operatingAccount?: Record<string, string>; productDestinationId?: string }[]
  audienceMembers?: AudienceMember[]
  encoding?: string
  termsOfService?: { customerMatchTermsOfServiceStatus?: string }
  validateOnly?: boolean
}

const isHash = (text: string | undefined): boolean => text === undefined || /^[a-f0-9]{64}$/.test(text)
const dataNames = ['compositeData', 'mobileData', 'userIdData'] as const

const mistakeOf = (member: AudienceMember): string | undefined => {
  const { compositeData: composite, mobileData: mobile, userIdData: user } = member
  if (dataNames.filter((name) => member[name] !== undefined).length !== 1) return 'INVALID_AUDIENCE_MEMBER'
  if (mobile !== undefined) {
    const ids = mobile.mobileIds ?? []
    return ids.length === 0 || ids.length > 10 ? 'INVALID_AUDIENCE_MEMBER' : undefined
  }
  if (user !== undefined) return (user.userId ?? '') === '' ? 'INVALID_AUDIENCE_MEMBER' : undefined
  const identifiers = composite?.userData?.userIdentifiers ?? []
  if (identifiers.length > 10) return 'TOO_MANY_USER_IDENTIFIERS'
  if (identifiers.length === 0 && (composite?.ipData ?? []).length === 0) return 'INVALID_AUDIENCE_MEMBER'
  const hashes = identifiers.flatMap(({ emailAddress, phoneNumber, address }) => [
    emailAddress,
    phoneNumber,
    address?.['givenName'],
    address?.['familyName'],
  ])
  if (!hashes.every(isHash)) return 'INVALID_SHA256_FORMAT'
  // Simulates a rule that only Google can check.
  return identifiers.some(({ address }) => address?.['postalCode'] === 'refused') ? 'INVALID_POSTAL_CODE' : undefined
}

const requestMistake = (method: string, body: Body): string | undefined => {
  const { audienceMembers: members = [], encoding, termsOfService: terms } = body
  if (members.length > 10_000) return 'TOO_MANY_AUDIENCE_MEMBERS'
  if (members.length === 0) return 'REQUIRED_FIELD_MISSING'
  if (members.some(({ compositeData }) => compositeData !== undefined) && encoding !== 'HEX')
    return 'REQUIRED_FIELD_MISSING'
  const types = new Set(members.flatMap((member) => dataNames.filter((name) => member[name] !== undefined)))
  if (types.size > 1) return 'MULTIPLE_DATA_TYPES_NOT_ALLOWED'
  if (method === 'ingest' && terms?.customerMatchTermsOfServiceStatus !== 'ACCEPTED')
    return 'TERMS_AND_CONDITIONS_NOT_SIGNED'
  return undefined
}

/**
 * Creates a stand-in for `audienceMembers:ingest`, `audienceMembers:remove` and `userLists.get`. It follows the
 * definitions of the Data Manager API (github.com/googleapis/googleapis, commit f8291d2b, google/ads/datamanager/v1).
 * The rules are those of ingestion_service.proto (10,000 members, HEX, terms, `validateOnly`), audience.proto (one type of data for each
 * member, at least one identifier, 10 mobile IDs), and user_data.proto (10 identifiers). Errors are those of error.proto.
 */
export const createCustomerMatch = () => {
  const people = new Map<string, AudienceMember>()
  const keyOf = ({ consent: _consent, ...data }: AudienceMember): string => JSON.stringify(data)
  const change = (method: string, body: Body): PeerAnswer => {
    const [destination] = body.destinations ?? []
    if (destination?.operatingAccount?.['accountId'] !== customer)
      return errorOf(403, 'PERMISSION_DENIED', 'The caller does not have permission')
    if (destination.productDestinationId !== list)
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.', [
        {
          field: 'destinations[0].product_destination_id',
          description: 'User list is not valid',
          reason: 'INVALID_USER_LIST_ID',
        },
      ])
    const mistake = requestMistake(method, body)
    if (mistake !== undefined)
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.', [], mistake)
    const members = body.audienceMembers ?? []
    const violations = members.flatMap((member, at) => {
      const reason = mistakeOf(member)
      return reason === undefined
        ? []
        : [{ field: `audience_members.audience_members[${at}]`, reason, description: reason }]
    })
    if (violations.length > 0)
      return errorOf(400, 'INVALID_ARGUMENT', 'There was a problem with the request.', violations)
    if (body.validateOnly !== true)
      for (const member of members)
        if (method === 'ingest') people.set(keyOf(member), member)
        else people.delete(keyOf(member))
    return answerOf(200, { requestId: '126365e1-16d0-4c81-9de9-f362711e250a' })
  }
  const lists = new Map<string, Record<string, unknown>>([
    [
      list,
      {
        displayName: 'VIPs',
        membershipStatus: 'OPEN',
        sizeInfo: { searchNetworkMembersCount: '1200', youtubeMembersCount: '1500' },
        ingestedUserListInfo: { uploadKeyTypes: ['CONTACT_ID'], contactIdInfo: { matchRatePercentage: 62 } },
      },
    ],
  ])
  /**
   * Answers about lists ("UserListService" and "UserList" of user_list.proto): the name is required and unique, one type of
   * keys is required, and 64-bit numbers are texts (protobuf.dev/programming-guides/json).
   */
  const ofLists = (method: string, id: string, query: VendorRequest['query'], body: unknown): PeerAnswer => {
    const shown = (key: string) => ({
      name: `accountTypes/GOOGLE_ADS/accounts/${customer}/userLists/${key}`,
      id: key,
      ...lists.get(key),
    })
    if (id !== '')
      return lists.has(id) ? answerOf(200, shown(id)) : errorOf(404, 'NOT_FOUND', 'Requested entity was not found.')
    if (method === 'GET') {
      const all = [...lists.keys()].map(shown)
      const start = Number(query['pageToken'] ?? 0)
      const end = start + Math.min(Number(query['pageSize'] ?? 50), 1000)
      return answerOf(200, {
        userLists: all.slice(start, end),
        ...(end < all.length ? { nextPageToken: String(end) } : {}),
      })
    }
    const { displayName: name, ingestedUserListInfo: info } = body as {
      displayName?: string
      ingestedUserListInfo?: { uploadKeyTypes?: string[]; mobileIdInfo?: { keySpace?: string; appId?: string } }
    }
    const { keySpace = '', appId = '' } = info?.mobileIdInfo ?? {}
    const isWithoutApp = !['IOS', 'ANDROID'].includes(keySpace) || appId === ''
    const isTaken = [...lists.values()].some(({ displayName }) => displayName === name)
    const isOfApp = info?.uploadKeyTypes?.[0] === 'MOBILE_ID'
    if (name === undefined || info?.uploadKeyTypes?.length !== 1 || (isOfApp && isWithoutApp))
      return errorOf(400, 'INVALID_ARGUMENT', 'A required field is missing.')
    if (isTaken) return errorOf(400, 'INVALID_ARGUMENT', 'A user list with this name exists.')
    const key = String(8_012_345_700 + lists.size)
    lists.set(key, { displayName: name, membershipStatus: 'OPEN', ingestedUserListInfo: info })
    return answerOf(200, shown(key))
  }
  const answer = ({
    method,
    host,
    path,
    headers,
    body,
    query,
  }: Omit<VendorRequest, 'raw' | 'query'> & Partial<Pick<VendorRequest, 'query'>>): PeerAnswer => {
    if (host !== 'datamanager.googleapis.com') return { status: 404 }
    if (headers['authorization'] !== `Bearer ${token}`)
      return errorOf(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
    const lists = `/v1/accountTypes/GOOGLE_ADS/accounts/${customer}/userLists`
    if (path === lists || path.startsWith(`${lists}/`))
      return ofLists(method, path.slice(lists.length + 1), query ?? {}, body)
    const [, name] = /^\/v1\/audienceMembers:(ingest|remove)$/.exec(path) ?? []
    if (method !== 'POST' || name === undefined) return errorOf(404, 'NOT_FOUND', 'Requested entity was not found.')
    return change(name, body as Body)
  }
  return { answer, people }
}
