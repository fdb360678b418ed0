import { defineAction } from '@tributary/connector-kit'
import { oneProductFields } from '../../../wire/conversions/conversion-fields.ts'
import { consentFields, contactFields } from '../../../wire/google/data-manager-fields.ts'
import { adsContactFields, adsValueFields, adsVariables, needsAdsApi } from './ads-api-fields.ts'
import { cartFields } from './detail-fields.ts'
import { personFields } from './fields.ts'
import { uploadFields } from './upload-conversion.ts'

/** "ClickConversion" of the Google Ads API. */
export const uploadClick = defineAction({
  name: 'upload_click',
  title: 'Upload conversion with attribution',
  description: 'Uploads a conversion with a share that another tool attributes to the click, with the Google Ads API.',
  ...needsAdsApi,
  fields: {
    transaction_id: {
      label: 'Transaction ID',
      help: 'Such as the order ID. Not sent with an attributed share.',
      type: 'string',
      recommended: true,
      kind: 'event',
    },
    event_time: uploadFields.event_time,
    external_attribution_credit: {
      label: 'Attributed share',
      help: 'The share of the conversion that belongs to the click, such as 0.3.',
      type: 'any',
      recommended: true,
      kind: 'property',
    },
    external_attribution_model: {
      label: 'Attribution model',
      help: 'The name of the model, such as time decay.',
      type: 'string',
      recommended: true,
      kind: 'property',
    },
    ...adsValueFields,
    gclid: personFields.gclid,
    gbraid: personFields.gbraid,
    wbraid: personFields.wbraid,
    page_url: personFields.page_url,
    session_attribute_pairs: {
      label: 'Session attributes, not encoded',
      help: 'An object with values by name, such as gad_source. Google accepts it only from earlier users.',
      type: 'object',
      kind: 'context',
    },
    ...adsContactFields,
    country: { ...contactFields.country, help: 'A code or a name. Completes the phone number.' },
    event_source: {
      label: 'Event source',
      help: 'Where it happened.',
      type: 'string',
      kind: 'context',
      // "ConversionEnvironment" of the Google Ads API.
      choices: [
        { value: 'web', label: 'Website' },
        { value: 'app', label: 'App' },
      ],
    },
    items: uploadFields.items,
    one_product: oneProductFields.one_product,
    merchant_id: cartFields.merchant_id,
    merchant_feed_label: { ...cartFields.merchant_feed_label, help: 'The country of the feed, such as US.' },
    merchant_feed_language: cartFields.merchant_feed_language,
    discount: cartFields.discount,
    ...adsVariables,
    customer_type: { ...cartFields.customer_type, help: 'new or returning.' },
    conversion_action_id: personFields.conversion_action_id,
    ad_user_data: consentFields.ad_user_data,
  },
})
