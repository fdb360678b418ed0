import { defineSettings, type OAuth2Client, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'
import {
  checkDefaults,
  defaultCountrySetting,
  defaultCurrencySetting,
} from '../../wire/conversions/default-settings.ts'
import { dataManagerOrigin, dataManagerScope, isCustomer } from '../../wire/google/data-manager.ts'
import { googleClient, googleClientSettings } from '../../wire/google/oauth2.ts'
import { adsApiOrigin, adsApiScope } from './ads-api/origin.ts'

export const settings = defineSettings({
  customer_id: setting.text({
    label: 'Customer ID',
    help: 'Of the Google Ads account that has the conversion actions.',
    required: true,
    maxLength: 20,
  }),
  login_customer_id: setting.text({
    label: 'Manager account',
    help: 'The customer ID of the manager account, if your access is through one.',
    maxLength: 20,
  }),
  conversion_action_id: setting.text({
    label: 'Conversion action',
    help: 'The number after ctId in the URL of the conversion action. Mappings can name another.',
    required: true,
    maxLength: 30,
  }),
  ...googleClientSettings,
  google_ads_api: setting.toggle({
    label: 'Google Ads API',
    help: 'Asks for access to the Google Ads API, too, which some actions need. Reconnect after a change.',
    default: false,
  }),
  without_consent: withoutConsent,
  ...defaultCurrencySetting,
  ...defaultCountrySetting,
  validate_only: setting.toggle({
    label: 'Test mode',
    help: 'Google checks the conversions and imports none. Turn it off when you are done.',
    default: false,
  }),
})

export type GoogleAdsSettings = SettingsOf<typeof settings>

/** Checks rules that span several settings. */
export const check = (given: Partial<GoogleAdsSettings>): Record<string, string> => {
  const { customer_id, login_customer_id, conversion_action_id } = given
  return {
    ...(customer_id === undefined || isCustomer(customer_id)
      ? {}
      : { customer_id: 'Enter the customer ID, such as 123-456-7890' }),
    ...(login_customer_id === undefined || isCustomer(login_customer_id)
      ? {}
      : { login_customer_id: 'Enter the customer ID of the manager account, such as 123-456-7890' }),
    ...(conversion_action_id === undefined || /^\d{3,20}$/.test(conversion_action_id.trim())
      ? {}
      : { conversion_action_id: 'Enter the number of the conversion action, such as 7012345678' }),
    ...checkDefaults(given),
  }
}

/**
 * Returns the client. With the Google Ads API, it asks for a further scope and sends tokens to a further origin, so an
 * earlier grant is not valid for it.
 */
export const oauth2 = (given: Partial<GoogleAdsSettings>): OAuth2Client => {
  const client = googleClient(given, { scope: dataManagerScope, origin: dataManagerOrigin })
  if (given.google_ads_api !== true) return client
  return {
    ...client,
    scopes: [...client.scopes, adsApiScope],
    tokensSentTo: [...client.tokensSentTo, adsApiOrigin],
  }
}
