import { defineSettings, type OAuth2Client, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'
import { dataManagerOrigin, dataManagerScope, isCustomer } from '../../wire/google/data-manager.ts'
import { googleClient, googleClientSettings } from '../../wire/google/oauth2.ts'

export const settings = defineSettings({
  customer_id: setting.text({
    label: 'Customer ID',
    help: 'Of the Google Ads account that has the customer list.',
    required: true,
    maxLength: 20,
  }),
  login_customer_id: setting.text({
    label: 'Manager account',
    help: 'The customer ID of the manager account, if your access is through one.',
    maxLength: 20,
  }),
  list_id: setting.text({
    label: 'Customer list',
    help: 'Its number, which is in the URL of the list in Audience manager. Mappings can name another.',
    maxLength: 30,
  }),
  list_type: setting.choice({
    label: 'The list has',
    help: 'What people of the list are matched by. Google fixes it when a list is created.',
    required: true,
    default: 'contact',
    choices: [
      { value: 'contact', label: 'Email, phone, and address' },
      { value: 'mobile', label: 'Mobile advertiser IDs' },
      { value: 'user', label: 'User IDs' },
    ],
  }),
  mobile_system: setting.choice({
    label: 'System of the app',
    help: 'For a new list of mobile advertiser IDs.',
    default: 'IOS',
    choices: [
      { value: 'IOS', label: 'iOS' },
      { value: 'ANDROID', label: 'Android' },
    ],
  }),
  mobile_app_id: setting.text({
    label: 'App ID',
    help: 'For a new list of mobile advertiser IDs: the app that they come from. Its number in the App Store, or its package name at Google Play.',
    maxLength: 200,
  }),
  terms_accepted: setting.toggle({
    label: 'Customer Match terms',
    help: 'The account has accepted the Customer Match terms of Google. Google takes no one without it.',
    default: false,
  }),
  ...googleClientSettings,
  without_consent: withoutConsent,
  validate_only: setting.toggle({
    label: 'Test mode',
    help: 'Google checks the people and changes no list. Turn it off when you are done.',
    default: false,
  }),
})

export type CustomerMatchSettings = SettingsOf<typeof settings>

/** Whether a text is the number of a customer list. */
export const isList = (entered: string): boolean => /^\d{3,20}$/.test(entered.trim())

/** Checks rules that span several settings. */
export const check = ({
  customer_id,
  login_customer_id,
  list_id,
}: Partial<CustomerMatchSettings>): Record<string, string> => ({
  ...(customer_id === undefined || isCustomer(customer_id)
    ? {}
    : { customer_id: 'Enter the customer ID, such as 123-456-7890' }),
  ...(login_customer_id === undefined || isCustomer(login_customer_id)
    ? {}
    : { login_customer_id: 'Enter the customer ID of the manager account, such as 123-456-7890' }),
  ...(list_id === undefined || isList(list_id)
    ? {}
    : { list_id: 'Enter the number of the customer list, such as 8012345678' }),
})

export const oauth2 = (given: Partial<CustomerMatchSettings>): OAuth2Client =>
  googleClient(given, { scope: dataManagerScope, origin: dataManagerOrigin })
