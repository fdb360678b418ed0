import { moneyOf, setting } from '@tributary/connector-kit'

/** The currency of events whose currency is absent. A wrong currency is not replaced. */
export const defaultCurrencySetting = {
  default_currency: setting.text({
    label: 'Default currency',
    help: 'For events that have a value and no currency, such as EUR. A wrong currency is not replaced.',
    maxLength: 3,
  }),
}

/** The country of people whose country is absent. */
export const defaultCountrySetting = {
  default_country: setting.text({
    label: 'Default country',
    help: 'The country of people without one, such as DE. It completes phone numbers in national form.',
    maxLength: 2,
  }),
}

const isCurrency = (text: string): boolean => {
  const money = moneyOf(undefined, text)
  return 'currency' in money && money.currency === text.trim().toUpperCase()
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Codes that have a name and stand for no country of ISO 3166-1, such as reserved and former codes. */
const otherRegions: ReadonlySet<string> = new Set(
  'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB YD YU ZR ZZ'.split(' '),
)

const isCountry = (text: string): boolean => {
  const code = text.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && !otherRegions.has(code) && regions.of(code) !== undefined
}

/** Checks the defaults of a destination: ISO 4217 and ISO 3166-1 alpha-2. */
export const checkDefaults = ({
  default_currency,
  default_country,
}: {
  default_currency?: string | undefined
  default_country?: string | undefined
}): Record<string, string> => ({
  ...(default_currency === undefined || isCurrency(default_currency)
    ? {}
    : { default_currency: 'Enter a currency code of three letters, such as EUR' }),
  ...(default_country === undefined || isCountry(default_country)
    ? {}
    : { default_country: 'Enter a country code of two letters, such as DE' }),
})

/** Properties of a target for the currency of a value. */
export const withDefaultCurrency = {
  default: { setting: 'default_currency', beside: ['value', 'price_of_one'] },
} as const

/** Properties of a target for a phone number: the default country completes it. */
export const withDefaultCountry = { countrySetting: 'default_country' } as const
