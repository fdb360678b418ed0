import { defineAction } from '@tributary/connector-kit'
import { consentFields } from '../../../wire/google/data-manager-fields.ts'
import { adsAddressFields, adsContactFields, adsValueFields, needsAdsApi } from './ads-api-fields.ts'
import { cartFields } from './detail-fields.ts'
import { personFields } from './fields.ts'
import { uploadFields } from './upload-conversion.ts'

const fraction = (label: string, help: string) =>
  ({ label, help: `${help} Over 0, at most 1.`, type: 'any', kind: 'property' }) as const
const property = { type: 'string', kind: 'property' } as const

/** "StoreSalesMetadata" and "TransactionAttribute" of the Google Ads API. */
export const uploadStoreSale = defineAction({
  name: 'upload_store_sale',
  title: 'Upload store sale',
  description: 'Uploads a sale in a store with the shares of sales that are known, with the Google Ads API.',
  ...needsAdsApi,
  fields: {
    transaction_id: {
      label: 'Transaction ID',
      help: 'Such as the number of the receipt.',
      type: 'string',
      recommended: true,
      kind: 'event',
    },
    event_time: uploadFields.event_time,
    value: { ...adsValueFields.value, required: true },
    currency: { ...adsValueFields.currency, required: true },
    loyalty_fraction: {
      ...fraction('Loyalty fraction', 'The share of all sales that have data of a customer.'),
      required: true,
      recommended: true,
    },
    transaction_upload_fraction: {
      ...fraction('Upload fraction', 'The share of these sales that you upload.'),
      required: true,
      recommended: true,
    },
    store_id: cartFields.store_id,
    custom_key: {
      label: 'Custom key',
      help: 'The custom variable of the sale, as Google Ads has it.',
      ...property,
    },
    custom_value: { label: 'Custom value', help: 'Its value for this sale.', ...property },
    item_id: { label: 'Product ID', help: 'Of the Merchant Center, for a sale of one product.', ...property },
    item_quantity: { label: 'Quantity', help: 'Of that product.', type: 'any', kind: 'property' },
    merchant_id: cartFields.merchant_id,
    merchant_feed_label: { ...cartFields.merchant_feed_label, help: 'The country of the feed, such as US.' },
    merchant_feed_language: cartFields.merchant_feed_language,
    ...adsContactFields,
    ...adsAddressFields,
    partner_user_id: {
      label: 'User ID of the partner',
      help: 'Only for partners of Google, in place of email, phone, and address.',
      type: 'string',
      kind: 'identity',
    },
    partner_id: { label: 'Partner', help: 'The number of the partner, only for partners of Google.', ...property },
    partner_map_version: { label: 'Bridge map version', help: 'Of the partner’s user IDs.', ...property },
    partner_upload_time: {
      label: 'Time of the upload to the partner',
      help: 'When you uploaded the sale to the partner.',
      type: 'datetime',
      kind: 'property',
    },
    valid_transaction_fraction: fraction('Valid fraction', 'The share of sales that are valid, for partners.'),
    partner_match_fraction: fraction('Match fraction', 'The share of valid sales with a user ID of the partner.'),
    partner_upload_fraction: fraction('Partner’s fraction', 'The share of valid sales that the partner uploads.'),
    conversion_action_id: personFields.conversion_action_id,
    ...consentFields,
  },
})
