import { createHash } from 'node:crypto'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { rowsFrom, type WireRow } from '@tributary/connector-kit/testing-wire'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const protos = 'github.com/googleapis/googleapis, google/ads/googleads/v25'
const uploads = `${protos}/services/conversion_upload_service.proto`
const adjustments = `${protos}/services/conversion_adjustment_upload_service.proto`
const userData = `${protos}/common/offline_user_data.proto`
const consents = `${protos}/common/consent.proto`
/** Returns a time in the form of all of these files: "yyyy-mm-dd hh:mm:ss+|-hh:mm". */
export const adsTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)}+00:00`

const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
const gclid = 'Cj0KCQjwtest_0123456789-abcdef'
const agent = 'Mozilla/5.0 (X11)'
const actions = 'customers/1234567890/conversionActions'
const address = { first_name: 'Alex', last_name: 'Quinn', country: 'us', postal_code: '94045' }
const noClick = { beside: { gclid: '' } }
const products = [{ product_id: 'p1', price: 10, quantity: 2 }]
const inCart = { beside: { items: products } }

/** Returns the operation of a request to the Google Ads API, with the job of a sale in a store; undefined without one. */
export const adsRecordOf = (asked: readonly VendorRequest[]): unknown => {
  const bodies = asked.map(
    ({ body }) => (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>,
  )
  const job = bodies.find((body) => 'job' in body)?.['job']
  for (const body of bodies)
    for (const list of ['conversions', 'conversionAdjustments', 'operations']) {
      const [first] = (body[list] ?? []) as { create?: object }[]
      if (first !== undefined) return first.create === undefined ? first : { ...first.create, job }
    }
  return undefined
}

const consentRows = (ofPersonalization: boolean): WireRow[] =>
  rowsFrom(`${consents}, Consent`, [
    ['ad_user_data', false, '^outcome.kind', 'skipped'],
    ['ad_user_data', true, 'consent.adUserData', 'GRANTED'],
    ...(ofPersonalization ? ([['ad_personalization', false, 'consent.adPersonalization', 'DENIED']] as const) : []),
  ])

const callBase = { caller_id: '+16502531234', call_time: hourAgo, event_time: minuteAgo, value: 25.5, currency: 'EUR' }

const callRows = [
  ...rowsFrom(`${uploads}, CallConversion`, [
    ['caller_id', '+1 650-253-1235', 'callerId', '+16502531235'],
    ['call_time', minuteAgo, 'callStartDateTime', adsTime(minuteAgo)],
    ['event_time', minuteAgo, 'conversionDateTime', adsTime(minuteAgo)],
    ['value', '5.31', 'conversionValue', 5.31],
    ['currency', 'usd', 'currencyCode', 'USD'],
    ['conversion_action_id', '7012345679', 'conversionAction', `${actions}/7012345679`],
    [
      'custom_variables',
      { 123: 'spring' },
      'customVariables',
      [{ conversionCustomVariable: 'customers/1234567890/conversionCustomVariables/123', value: 'spring' }],
    ],
    // "Headers" of the REST API: developers.google.com/google-ads/api/rest/auth.
    ['settings.login_customer_id', '999-888-7777', '^headers.login-customer-id', '9998887777'],
    ['settings.validate_only', true, '^body.validateOnly', true],
  ]),
  ...consentRows(false),
]

const inPerson = (at: string, place: string, more: object = {}) =>
  rowsFrom(`${userData}, UserIdentifier`, [
    ['email', ' ALEXZ@example.com ', `${at}.0.hashedEmail`, sha256('alexz@example.com')],
    ['phone', '+1-800-555-0100', `${at}.${place}.hashedPhoneNumber`, sha256('+18005550100'), more],
    ['user_identifier_source', 'third_party', `${at}.0.userIdentifierSource`, 'THIRD_PARTY'],
  ])

const inAddress = (at: string) =>
  rowsFrom(`${userData}, OfflineUserAddressInfo`, [
    ['first_name', 'Alex', `${at}.hashedFirstName`, sha256('alex'), { beside: address }],
    ['last_name', 'Quinn', `${at}.hashedLastName`, sha256('quinn'), { beside: address }],
    ['country', 'us', `${at}.countryCode`, 'US', { beside: address }],
    ['postal_code', ' 94045 ', `${at}.postalCode`, '94045', { beside: address }],
    ['city', 'Mountain View', `${at}.city`, 'Mountain View', { beside: address }],
    ['state', 'CA', `${at}.state`, 'CA', { beside: address }],
  ])

const enhancement = { adjustment_type: 'enhancement', email: 'ada@example.com' }
const adjustmentBase = { adjustment_type: 'retraction', transaction_id: 'o-1', adjustment_time: minuteAgo }
const enhanced = (rows: readonly WireRow[]): WireRow[] =>
  rows.map((row) => ({ ...row, beside: { ...enhancement, ...row.beside } }))
const unordered = { beside: { transaction_id: '', gclid, event_time: hourAgo } }

const adjustmentRows = [
  ...rowsFrom(`${adjustments}, ConversionAdjustment`, [
    ['adjustment_type', 'retraction', 'adjustmentType', 'RETRACTION'],
    ['transaction_id', 'ABC1234567', 'orderId', 'ABC1234567'],
    ['adjustment_time', hourAgo, 'adjustmentDateTime', adsTime(hourAgo)],
    ['event_time', hourAgo, 'gclidDateTimePair.conversionDateTime', adsTime(hourAgo), unordered],
    ['gclid', gclid, 'gclidDateTimePair.gclid', gclid, unordered],
    ['value', '5.31', 'restatementValue.adjustedValue', 5.31, { beside: { adjustment_type: 'restatement' } }],
    [
      'currency',
      'usd',
      'restatementValue.currencyCode',
      'USD',
      { beside: { adjustment_type: 'restatement', value: 5 } },
    ],
    ['user_agent', agent, 'userAgent', agent, { beside: enhancement }],
    ['conversion_action_id', '7012345679', 'conversionAction', `${actions}/7012345679`],
    ['ad_user_data', false, '^outcome.kind', 'skipped', { beside: enhancement }],
  ]),
  ...enhanced(inPerson('userIdentifiers', '1')),
  ...enhanced(inAddress('userIdentifiers.1.addressInfo')),
  ...enhanced(
    rowsFrom(`${userData}, OfflineUserAddressInfo`, [
      [
        'street_address',
        ' 1600 Amphitheatre Pkwy ',
        'userIdentifiers.1.addressInfo.hashedStreetAddress',
        sha256('1600 amphitheatre pkwy'),
        { beside: address },
      ],
    ]),
  ),
]

const clickBase = {
  event_time: minuteAgo,
  value: 25.5,
  currency: 'EUR',
  gclid,
  transaction_id: 'o-1',
  email: 'ada@example.com',
}

const clickRows = [
  ...rowsFrom(`${uploads}, ClickConversion`, [
    ['transaction_id', 'ABC1234567', 'orderId', 'ABC1234567'],
    ['event_time', minuteAgo, 'conversionDateTime', adsTime(minuteAgo)],
    ['value', '5.31', 'conversionValue', 5.31],
    ['currency', 'usd', 'currencyCode', 'USD'],
    ['gclid', gclid, 'gclid', gclid],
    ['gbraid', gclid, 'gbraid', gclid, noClick],
    ['wbraid', gclid, 'wbraid', gclid, noClick],
    ['page_url', `https://shop.example/?gclid=${gclid}`, 'gclid', gclid, noClick],
    ['event_source', 'app', 'conversionEnvironment', 'APP'],
    ['customer_type', 'returning', 'customerType', 'RETURNING'],
    ['conversion_action_id', '7012345679', 'conversionAction', `${actions}/7012345679`],
    [
      'custom_variables',
      { 123: 'spring' },
      'customVariables.0.conversionCustomVariable',
      'customers/1234567890/conversionCustomVariables/123',
    ],
  ]),
  ...rowsFrom(`${uploads}, ExternalAttributionData`, [
    ['external_attribution_credit', '0.3', 'externalAttributionData.externalAttributionCredit', 0.3],
    [
      'external_attribution_model',
      'time decay',
      'externalAttributionData.externalAttributionModel',
      'time decay',
      { beside: { external_attribution_credit: 0.3 } },
    ],
  ]),
  ...rowsFrom(`${uploads}, SessionAttributesKeyValuePairs; support.google.com/google-ads/answer/16194756`, [
    [
      'session_attribute_pairs',
      { gad_source: '1' },
      'sessionAttributesKeyValuePairs.keyValuePairs',
      [{ sessionAttributeKey: 'gad_source', sessionAttributeValue: '1' }],
    ],
  ]),
  ...rowsFrom(`${uploads}, CartData`, [
    ['items', products, 'cartData.items', [{ productId: 'p1', quantity: 2, unitPrice: 10 }]],
    ['items', products, 'cartData.items.0.productId', 'p1', { item: 'product_id' }],
    ['items', products, 'cartData.items.0.quantity', 2, { item: 'quantity' }],
    ['items', products, 'cartData.items.0.unitPrice', 10, { item: 'price' }],
    ['one_product', { ...products[0], name: 'Shoe' }, 'cartData.items.0.productId', 'p1'],
    ['merchant_id', '123', 'cartData.merchantId', '123', inCart],
    ['merchant_feed_label', 'US', 'cartData.feedCountryCode', 'US', inCart],
    ['merchant_feed_language', 'en', 'cartData.feedLanguageCode', 'en', inCart],
    ['discount', '1.5', 'cartData.localTransactionCost', 1.5, inCart],
  ]),
  ...inPerson('userIdentifiers', '1'),
  ...rowsFrom(`${userData}, UserIdentifier`, [
    [
      'country',
      'US',
      'userIdentifiers.1.hashedPhoneNumber',
      sha256('+16502531234'),
      { beside: { phone: '(650) 253-1234' } },
    ],
  ]),
  ...consentRows(false),
]

const saleBase = {
  transaction_id: 'o-1',
  event_time: minuteAgo,
  value: 25.5,
  currency: 'EUR',
  loyalty_fraction: 0.7,
  transaction_upload_fraction: 1,
  email: 'ada@example.com',
}
const partner = {
  partner_user_id: 'u-1',
  partner_id: '17',
  partner_map_version: '5',
  partner_upload_time: hourAgo,
  valid_transaction_fraction: 0.9,
  partner_match_fraction: 0.8,
  partner_upload_fraction: 0.6,
}
const asPartner = { beside: partner }
const sale = 'transactionAttribute'
const metadata = 'job.storeSalesMetadata'
const third = `${metadata}.thirdPartyMetadata`
const ofProduct = { beside: { item_id: 'p1', merchant_id: '123' } }

const saleRows = [
  ...rowsFrom(`${userData}, TransactionAttribute`, [
    ['transaction_id', 'ABC1234567', `${sale}.orderId`, 'ABC1234567'],
    ['event_time', minuteAgo, `${sale}.transactionDateTime`, adsTime(minuteAgo)],
    ['value', '5.31', `${sale}.transactionAmountMicros`, 5_310_000],
    ['currency', 'usd', `${sale}.currencyCode`, 'USD'],
    ['conversion_action_id', '7012345679', `${sale}.conversionAction`, `${actions}/7012345679`],
    ['store_id', 'store-1', `${sale}.storeAttribute.storeCode`, 'store-1'],
    ['custom_value', 'spring', `${sale}.customValue`, 'spring', { beside: { custom_key: 'season' } }],
    ['item_id', 'p1', `${sale}.itemAttribute.itemId`, 'p1', ofProduct],
    ['item_quantity', '2', `${sale}.itemAttribute.quantity`, 2, ofProduct],
    ['merchant_id', '123', `${sale}.itemAttribute.merchantId`, '123', ofProduct],
    ['merchant_feed_label', 'US', `${sale}.itemAttribute.countryCode`, 'US', ofProduct],
    ['merchant_feed_language', 'en', `${sale}.itemAttribute.languageCode`, 'en', ofProduct],
  ]),
  ...rowsFrom(`${userData}, StoreSalesMetadata`, [
    ['loyalty_fraction', '0.5', `${metadata}.loyaltyFraction`, 0.5],
    ['transaction_upload_fraction', '0.25', `${metadata}.transactionUploadFraction`, 0.25],
    ['custom_key', 'season', `${metadata}.customKey`, 'season'],
  ]),
  ...rowsFrom(`${userData}, StoreSalesThirdPartyMetadata`, [
    ['partner_user_id', 'u-2', 'userIdentifiers.0.thirdPartyUserId', 'u-2'],
    ['partner_id', '18', `${third}.partnerId`, '18', asPartner],
    ['partner_map_version', '6', `${third}.bridgeMapVersionId`, '6', asPartner],
    ['partner_upload_time', minuteAgo, `${third}.advertiserUploadDateTime`, adsTime(minuteAgo).slice(0, 19), asPartner],
    ['valid_transaction_fraction', 0.5, `${third}.validTransactionFraction`, 0.5, asPartner],
    ['partner_match_fraction', 0.5, `${third}.partnerMatchFraction`, 0.5, asPartner],
    ['partner_upload_fraction', 0.5, `${third}.partnerUploadFraction`, 0.5, asPartner],
  ]),
  ...inPerson('userIdentifiers', '1'),
  ...inAddress('userIdentifiers.1.addressInfo'),
  ...consentRows(true),
]

/** For each action of the Google Ads API, where its values are in the request. */
export const adsActionCases = {
  upload_call: { base: callBase, rows: callRows },
  upload_adjustment: { base: adjustmentBase, rows: adjustmentRows },
  upload_click: { base: clickBase, rows: clickRows },
  upload_store_sale: { base: saleBase, rows: saleRows },
}
