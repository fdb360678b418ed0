/**
 * The statements that give a session one notation of values and names, whatever the settings of the cluster are:
 * - Times are in UTC, and floating-point numbers have all their digits.
 * - Quoted names keep their case. By default, Redshift changes them to lower case.
 * - Redshift ends a statement after `statementMs`, which includes its time in a queue.
 *
 * Source: https://docs.aws.amazon.com/redshift/latest/dg/cm_chap_ConfigurationRef.html
 */
export const prepareStatements = (statementMs: number): readonly string[] => [
  `set datestyle to 'ISO, YMD'`,
  `set timezone to 'UTC'`,
  'set extra_float_digits to 2',
  'set enable_case_sensitive_identifier to true',
  'set describe_field_name_in_uppercase to false',
  `set statement_timeout to ${statementMs}`,
]
