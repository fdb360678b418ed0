import {
  ConfigurationError,
  type DestinationDefinition,
  type PeopleList,
  RejectedError,
} from '@tributary/connector-kit'
import { type PeerAnswer, runWithContext } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { googleCustomerMatch } from '../../destinations/google-customer-match/definition.ts'
import {
  createCustomerMatch,
  customer,
  token as googleToken,
  list,
} from '../../destinations/google-customer-match/testing-customer-match.ts'
import { metaCustomAudiences } from '../../destinations/meta-custom-audiences/definition.ts'
import { createMeta, token as metaToken } from '../../destinations/meta-custom-audiences/testing-meta.ts'
import { tiktokAudiences } from '../../destinations/tiktok-audiences/definition.ts'
import {
  advertiser,
  audience,
  createTikTokAudiences,
  token as tiktokToken,
} from '../../destinations/tiktok-audiences/testing-tiktok-audiences.ts'

type Answer = (request: VendorRequest) => PeerAnswer

/** Starts a stand-in for a platform, and returns the functions of its lists of people. */
const openLists = async (
  definition: DestinationDefinition,
  { origin, settings, answer }: { origin: string; settings: Readonly<Record<string, unknown>>; answer: Answer },
) => {
  const { peopleLists: lists } = definition
  if (lists === undefined) throw new Error('The destination has no lists')
  const { asked, rebase } = await startVendor({ origins: [origin] }, answer)
  const options = { rebase, accessToken: async () => googleToken }
  const readAll = async (): Promise<PeopleList[]> => {
    const all: PeopleList[] = []
    let cursor = ''
    do {
      const page = await runWithContext(definition, settings, (context) => lists.read(context, cursor), options)
      all.push(...page.lists)
      cursor = page.next
    } while (cursor !== '')
    return all
  }
  return {
    asked,
    readAll,
    create: (title: string) => runWithContext(definition, settings, (context) => lists.create(context, title), options),
    facts: async (id: string) =>
      (await runWithContext(definition, settings, (context) => lists.facts(context, id), options)).map(
        ({ title, value }) => `${title}: ${value}`,
      ),
  }
}

const openMeta = (answer: Answer, access_token = metaToken) =>
  openLists(metaCustomAudiences, {
    origin: 'https://graph.facebook.com',
    settings: { access_token, ad_account_id: 'act_123456789' },
    answer,
  })

const openTikTok = (answer: Answer, access_token = tiktokToken) =>
  openLists(tiktokAudiences, {
    origin: 'https://business-api.tiktok.com',
    settings: { access_token, advertiser_id: advertiser },
    answer,
  })

const openGoogle = (answer: Answer, more: object = {}) =>
  openLists(googleCustomerMatch, {
    origin: 'https://datamanager.googleapis.com',
    settings: { customer_id: customer, client_id: 'client', client_secret: 'GOCSPX-0123456789', ...more },
    answer,
  })

const titles = (lists: readonly PeopleList[]) => lists.map(({ title }) => title)

describe('the Custom Audiences of Meta', () => {
  it('all pages are read, and only audiences that take people are listed', async () => {
    const meta = createMeta()
    for (let at = 0; at < 401; at++) meta.create(String(30_000 + at), `List ${at}`)
    const { readAll, asked } = await openMeta(meta.answer)
    const lists = await readAll()
    expect(titles(lists)).toEqual(Array.from({ length: 401 }, (_, at) => `List ${at}`))
    expect(asked.map(({ path, query }) => [path, query['limit'], query['after']])).toEqual([
      ['/v25.0/act_123456789/customaudiences', '200', undefined],
      ['/v25.0/act_123456789/customaudiences', '200', '200'],
      ['/v25.0/act_123456789/customaudiences', '200', '400'],
    ])
  })

  it('a page of audiences with long names is read as a whole', async () => {
    const meta = createMeta()
    for (let at = 0; at < 200; at++) meta.create(String(30_000 + at), `List ${at} ${'ä'.repeat(1000)}`)
    const { readAll } = await openMeta(meta.answer)
    expect(await readAll()).toHaveLength(200)
  })

  // "Ad Account, Custom Audiences", Creating: name, subtype, and customer_file_source.
  it('an audience is created for people of the company itself, and is then listed and described', async () => {
    const { create, readAll, facts, asked } = await openMeta(createMeta().answer)
    const made = await create('Customers')
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/v25.0/act_123456789/customaudiences',
      body: { name: 'Customers', subtype: 'CUSTOM', customer_file_source: 'USER_PROVIDED_ONLY' },
    })
    expect(await readAll()).toEqual([made])
    expect(await facts(made.id)).toEqual([
      'Custom Audience: Customers',
      'Matched people: Not known yet',
      'Status at Meta: Normal',
      'Use in ads: This audience is ready for use.',
    ])
  })

  it('a refusal has the words of Meta', async () => {
    const { create, readAll } = await openMeta(createMeta().answer, 'EAAG-another')
    await expect(create('Customers')).rejects.toThrow(ConfigurationError)
    await expect(readAll()).rejects.toThrow('Meta refuses the access token: Error validating access token')
  })
})

describe('the audiences of TikTok', () => {
  it('all pages are read', async () => {
    const tiktok = createTikTokAudiences()
    for (let at = 0; at < 201; at++) tiktok.create(String(7_300_000 + at), `List ${at}`)
    const { readAll, asked } = await openTikTok(tiktok.answer)
    expect(titles(await readAll())).toEqual(['VIPs', ...Array.from({ length: 201 }, (_, at) => `List ${at}`)])
    expect(asked.map(({ query }) => [query['page'], query['page_size']])).toEqual([
      ['1', '100'],
      ['2', '100'],
      ['3', '100'],
    ])
  })

  it('an audience of others, and one that TikTok computes itself, are not listed', async () => {
    const others = [
      { audience_id: '1234567', name: 'Shared', audience_type: 'Customer File Audience', is_creator: false },
      { audience_id: '1234568', name: 'Similar', audience_type: 'Lookalike Audience', is_creator: true },
      { audience_id: '1234569', name: 'Own', type: 'Partner', is_creator: true, cover_num: 1200 },
    ]
    const body = JSON.stringify({ code: 0, message: 'OK', data: { list: others, page_info: { total_page: 1 } } })
    const { readAll } = await openTikTok(() => ({ status: 200, body }))
    expect(await readAll()).toEqual([{ id: '1234569', title: 'Own', note: '1,200 matched' }])
  })

  // "Create or delete an audience segment" (segment/audience/).
  it('an audience is created, and is then listed and described', async () => {
    const { create, readAll, facts, asked } = await openTikTok(createTikTokAudiences().answer)
    const made = await create('Customers')
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/open_api/v1.3/segment/audience/',
      body: { action: 'create', advertiser_id: advertiser, custom_audience_name: 'Customers' },
    })
    expect((await readAll()).map(({ id }) => id)).toEqual([audience, made.id])
    expect(await facts(made.id)).toContain('Audience: Customers')
  })

  it('a refusal has the words of TikTok', async () => {
    const { create } = await openTikTok(createTikTokAudiences().answer)
    await expect(create('')).rejects.toThrow(RejectedError)
    const { readAll } = await openTikTok(createTikTokAudiences().answer, 'another-token')
    await expect(readAll()).rejects.toThrow('TikTok refuses the access token')
  })
})

describe('the customer lists of Google', () => {
  // "Create a Customer Match audience" of the Data Manager API.
  it('a list is created for data of the company itself, and is then listed and described', async () => {
    const { create, readAll, facts, asked } = await openGoogle(createCustomerMatch().answer)
    const made = await create('Customers')
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: `/v1/accountTypes/GOOGLE_ADS/accounts/${customer}/userLists`,
      body: {
        displayName: 'Customers',
        ingestedUserListInfo: {
          uploadKeyTypes: ['CONTACT_ID'],
          contactIdInfo: { dataSourceType: 'DATA_SOURCE_TYPE_FIRST_PARTY' },
        },
      },
    })
    expect(titles(await readAll())).toEqual(['VIPs', 'Customers'])
    expect(await facts(made.id)).toEqual([
      'Customer list: Customers',
      'Match rate: Not known yet',
      'Status at Google: Open',
    ])
    expect(await facts(list)).toEqual([
      'Customer list: VIPs',
      'Match rate: 62%',
      'Matched in Search: 1,200',
      'Matched on YouTube: 1,500',
      'Status at Google: Open',
    ])
  })

  it('pages of 500 lists with long descriptions are read as a whole', async () => {
    const ingestedUserListInfo = { uploadKeyTypes: ['CONTACT_ID'] }
    const all = Array.from({ length: 1000 }, (_, at) => {
      const id = String(8_012_345_000 + at)
      return { id, displayName: `List ${at}`, description: 'd'.repeat(5000), ingestedUserListInfo }
    })
    const { readAll, asked } = await openGoogle(({ query }) => {
      const start = Number(query['pageToken'] ?? 0)
      const end = start + Number(query['pageSize'])
      const userLists = all.slice(start, end)
      const next = end < all.length ? { nextPageToken: String(end) } : {}
      return { status: 200, body: JSON.stringify({ userLists, ...next }) }
    })
    expect(titles(await readAll())).toEqual(all.map(({ displayName }) => displayName))
    expect(asked.map(({ query }) => query['pageSize'])).toEqual(['500', '500'])
  })

  it('only lists of the type of the settings are listed and created', async () => {
    const match = createCustomerMatch()
    const { create, readAll } = await openGoogle(match.answer, { list_type: 'user' })
    await create('By user ID')
    expect(titles(await readAll())).toEqual(['By user ID'])
    const mobile = await openGoogle(match.answer, { list_type: 'mobile' })
    await expect(mobile.create('Phones')).rejects.toThrow('belongs to an app. Enter the app ID in the settings')
    expect(await mobile.readAll()).toEqual([])
  })

  // "MobileIdInfo" of user_list.proto (googleapis, google/ads/datamanager/v1): key space and app are required.
  it.each([
    ['IOS', '1234567890'],
    ['ANDROID', 'com.example.shop'],
  ])('a list of mobile IDs of %s has the app of the settings', async (mobile_system, app) => {
    const { create, readAll, asked } = await openGoogle(createCustomerMatch().answer, {
      list_type: 'mobile',
      mobile_system,
      mobile_app_id: ` ${app} `,
    })
    await create('Phones')
    expect(asked[0]?.body).toEqual({
      displayName: 'Phones',
      ingestedUserListInfo: {
        uploadKeyTypes: ['MOBILE_ID'],
        mobileIdInfo: { dataSourceType: 'DATA_SOURCE_TYPE_FIRST_PARTY', keySpace: mobile_system, appId: app },
      },
    })
    expect(titles(await readAll())).toEqual(['Phones'])
  })

  it('a name that exists is refused with the words of Google', async () => {
    const { create } = await openGoogle(createCustomerMatch().answer)
    await expect(create('VIPs')).rejects.toThrow('A user list with this name exists.')
  })
})
