import type { FieldKind, TargetType } from '@tributary/contract'

/**
 * Normalization of personal data before it is hashed (SHA-256, lower-case hex). An `email` is trimmed and in lower
 * case. A `phone` has digits only with the country's code. A `name` or `text` is trimmed and in lower case.
 */
export type PiiRule = 'email' | 'phone' | 'name' | 'text'

/** A value that a field accepts, with its title. */
export type Choice = { readonly value: string; readonly label: string }

/** A field of an object, or of each item of a list. */
export type TargetField = {
  /** A name, or a path of names joined by dots. */
  readonly name: string
  readonly label: string
  readonly help: string
  readonly type: TargetType
  /** An item without a required field is left out of its list. */
  readonly required?: boolean
  /** The only values that the field accepts. */
  readonly choices?: readonly Choice[]
}

/** A field of an action's payload to which users map values. */
export type ActionTarget = {
  /** A path of names joined by dots. */
  name: string
  label: string
  help: string
  type: TargetType
  required: boolean
  recommended: boolean
  kind: FieldKind
  /** Set if the value is hashed before it is sent, unless it is a hash already. */
  pii?: PiiRule
  /**
   * With `pii`: the vendor's own normalization before hashing, instead of the rule's; '' means that the value is not
   * sent. `country` is the text of `countryTarget`.
   */
  comparable?: (text: string, country?: string) => string
  /** With `pii`: the target of the same action that has the country of the person. */
  countryTarget?: string
  /** With `pii`: the setting of the destination that has the country of people whose country is absent. */
  countrySetting?: string
  /**
   * The setting of the destination with the value for events in which the value is absent. With `beside`, the default
   * is sent only if one of these targets is sent.
   */
  default?: { readonly setting: string; readonly beside?: readonly string[] }
  /**
   * With `pii`: returns a hash in the form that only the vendor's own library makes, which is sent unchanged; '' for the
   * hash of an empty text, undefined for other texts.
   */
  vendorHash?: (text: string) => string | undefined
  /** With `pii`: maximum values of a list that are sent; one by default. */
  maxValues?: number
  /** Without `pii`: returns the form in which a text is sent; '' means that the value is not sent. */
  usable?: (text: string) => string
  /**
   * For a list: maximum items that the connector reads. One more is copied, by which the connector sees that there are
   * more.
   */
  maxItems?: number
  /** For an object: only members that are neither lists nor objects are copied, because the connector reads no others. */
  plainMembers?: true
  /** The only values that the target accepts, regardless of letter case. Another value is left out. */
  choices?: readonly Choice[]
  /** With `choices`: another value fails the event, because the platform would count the event as another one. */
  isVital?: boolean
  /** The target names a list of people of the platform (`peopleLists`), so users choose it by its title. */
  peopleList?: true
  /** The known fields of an object, or of each item of a list. Users can map others, too. */
  fields?: readonly TargetField[]
}
