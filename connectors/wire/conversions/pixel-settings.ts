import { setting } from '@tributary/connector-kit'
import { withoutConsent } from './consent-setting.ts'
import { defaultCountrySetting, defaultCurrencySetting } from './default-settings.ts'

/** Returns the settings that each platform has for the events of a pixel, in addition to the pixel's ID. */
export const pixelSettings = ({ platform, api, limit }: { platform: string; api: string; limit: string }) => ({
  access_token: setting.secret({
    label: 'Access token',
    help: `Generated in the settings of the pixel, under ${api}. Stored encrypted.`,
    required: true,
    // The token is always sent to the platform's URL, whatever the settings are.
    sentTo: [],
  }),
  test_event_code: setting.text({
    label: 'Test event code',
    help: 'From Test events in the Events Manager. With it, nothing counts: remove it when you are done.',
    maxLength: 50,
  }),
  without_consent: withoutConsent,
  ...defaultCurrencySetting,
  ...defaultCountrySetting,
  limited_data_use: setting.toggle({
    label: limit,
    help: `Has ${platform} limit how it uses data of people in US states that ask for it.`,
    default: false,
  }),
})
