import { expect, test } from 'vitest'
import { accountOf, quoted, storedName } from './account.ts'

// Forms of docs.snowflake.com/en/user-guide/admin-account-identifier.
test.each([
  ['myorg-account123', 'myorg-account123.snowflakecomputing.com', 'MYORG-ACCOUNT123'],
  ['MyOrg-My_Account', 'myorg-my-account.snowflakecomputing.com', 'MYORG-MY_ACCOUNT'],
  ['xy12345', 'xy12345.snowflakecomputing.com', 'XY12345'],
  ['xy12345.us-east-2.aws', 'xy12345.us-east-2.aws.snowflakecomputing.com', 'XY12345'],
  ['xy12345.us-east-1.privatelink', 'xy12345.us-east-1.privatelink.snowflakecomputing.com', 'XY12345'],
  ['acme-east.global', 'acme-east.global.snowflakecomputing.com', 'ACME'],
  ['https://myorg-a1.snowflakecomputing.com/console/login', 'myorg-a1.snowflakecomputing.com', 'MYORG-A1'],
  ['myorg-a1.snowflakecomputing.cn', 'myorg-a1.snowflakecomputing.cn', 'MYORG-A1'],
])('the account %s has the host %s, and the name %s in tokens', (text, host, name) => {
  expect(accountOf(text)).toEqual({ host, name })
})

test.each([
  '',
  ' ',
  '-a',
  '.',
  'a..b',
  'a b',
  'a/b.snowflakecomputing.com@evil.com#',
  'https://evil.com',
  'ä',
  'a:443',
])('the text %j never becomes a host of others', (text) => {
  expect(accountOf(text)?.host ?? '.snowflakecomputing.com').toMatch(/\.snowflakecomputing\.com$/)
})

test('a name is in upper case unless it is in quotes, and cannot end its identifier', () => {
  expect([' wh ', '"Wh"', '"a""b"', '"'].map(storedName)).toEqual(['WH', 'Wh', 'a"b', '"'])
  expect(quoted('a"; drop\0 table x')).toBe('"a""; drop table x"')
})
