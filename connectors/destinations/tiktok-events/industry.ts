import { amountOf, cutText, type JsonObject } from '@tributary/connector-kit'
import { textOf } from '../../wire/conversions/products.ts'

/*
 * The fields of travel and of vehicles by their types and choices (Segment, action-destinations, `tiktok-conversions/
 * reportWebEvent/fields/travel_fields.ts`, `vehicle_fields.ts`, and `types.ts`). TikTok's page was not seen.
 */
type Kind = 'text' | 'number' | 'list' | 'date' | readonly string[]

const travel: Readonly<Record<string, Kind>> = {
  city: 'text',
  region: 'text',
  country: 'text',
  checkin_date: 'text',
  checkout_date: 'text',
  num_adults: 'number',
  num_children: 'number',
  num_infants: 'number',
  suggested_hotels: 'list',
  departing_departure_date: 'date',
  returning_departure_date: 'date',
  origin_airport: 'text',
  destination_airport: 'text',
  destination_ids: 'list',
  departing_arrival_date: 'date',
  returning_arrival_date: 'date',
  travel_class: ['eco', 'prem', 'bus', 'first'],
  user_score: 'number',
  preferred_num_stops: 'number',
  travel_start: 'date',
  travel_end: 'date',
  suggested_destinations: 'list',
}

const vehicle: Readonly<Record<string, Kind>> = {
  postal_code: 'text',
  make: 'text',
  model: 'text',
  year: 'number',
  state_of_vehicle: ['New', 'Used', 'CPO'],
  exterior_color: 'text',
  transmission: ['Automatic', 'Manual', 'Other'],
  body_style: [
    'Convertible',
    'Coupe',
    'Hatchback',
    'Minivan',
    'Truck',
    'SUV',
    'Sedan',
    'Van',
    'Wagon',
    'Crossover',
    'Other',
  ],
  fuel_type: ['Diesel', 'Electric', 'Flex', 'Gasoline', 'Hybrid', 'Other'],
  drivetrain: ['AWD', 'FOUR_WD', 'FWD', 'RWD', 'TWO_WD', 'Other'],
  trim: 'text',
  vin: 'text',
  interior_color: 'text',
  condition_of_vehicle: ['Excellent', 'Good', 'Fair', 'Poor', 'Other'],
  viewcontent_type: 'text',
  search_type: 'text',
  registration_type: 'text',
}

/** The members of a vehicle of which TikTok takes pairs: a mileage with its unit, and a range of prices. */
const ofPairs = ['mileage_value', 'mileage_unit', 'preferred_price_range_min', 'preferred_price_range_max']
const mileageUnits: Kind = ['MI', 'KM']

/** Maximum values of a list, and characters of a text. Our own choice. */
const maxValues = 50
const maxCharacters = 500

/** "YYYYMMDD, YYYY-MM-DD, YYYY-MM-DDThh:mmTZD, and YYYY-MM-DDThh:mm:ssTZD". */
const date = /^\d{4}(?:\d{4}|-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2}))?)$/

const wordOf = (value: unknown): string => cutText(textOf(value) ?? '', maxCharacters).toWellFormed()

const read = (kind: Kind, value: unknown): unknown => {
  if (kind === 'number') return amountOf(value)
  if (kind === 'list') {
    const words = [value].flat().slice(0, maxValues).map(wordOf)
    const found = words.filter((word) => word !== '')
    return found.length === 0 ? undefined : found
  }
  const word = wordOf(value)
  if (kind === 'text') return word === '' ? undefined : word
  if (kind === 'date') return date.test(word) ? word : undefined
  return kind.find((choice) => choice.toLowerCase() === word.toLowerCase())
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''

const problemOf = (kind: Kind): string => {
  if (kind === 'number') return 'not a number'
  if (kind === 'date') return 'not a date such as 2026-11-29'
  return typeof kind === 'string' ? 'neither a text nor a number' : `none of ${kind.join(', ')}`
}

const valueOf = (name: string, kind: Kind, value: unknown, leftOut: string[]): unknown => {
  if (isBlank(value)) return undefined
  const found = read(kind, value)
  if (found === undefined) leftOut.push(`${name}: ${problemOf(kind)}`)
  return found
}

/** Returns the known members of an object that have a usable value. Notes wrong ones; others are not sent. */
const membersOf = (kinds: Readonly<Record<string, Kind>>, given: JsonObject, leftOut: string[]) =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([name, kind]) => {
      const value = valueOf(name, kind, given[name], leftOut)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

const pairsOf = (given: JsonObject, leftOut: string[]): Record<string, unknown> => {
  const [mileage, unit, min, max] = ofPairs.map((name) =>
    valueOf(name, name === 'mileage_unit' ? mileageUnits : 'number', given[name], leftOut),
  )
  return {
    ...(mileage === undefined || unit === undefined ? {} : { mileage: { unit, value: mileage } }),
    ...(min === undefined || max === undefined ? {} : { preferred_price_range: [min, max] }),
  }
}

/** Returns the properties of an event about travel or about a vehicle. */
export const industryOf = (
  { travel: trip, vehicle: car }: { travel?: JsonObject; vehicle?: JsonObject },
  leftOut: string[],
): Record<string, unknown> => ({
  ...(trip === undefined ? {} : membersOf(travel, trip, leftOut)),
  ...(car === undefined ? {} : { ...membersOf(vehicle, car, leftOut), ...pairsOf(car, leftOut) }),
})
