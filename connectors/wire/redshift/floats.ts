import type { DataRow } from '@tributary/connector-kit'

/** The numbers of the types with four and eight bytes. Source: `Oid.java` of aws/amazon-redshift-jdbc-driver. */
const [float4, float8] = [700, 701]

/** Returns the shortest text that stands for the same number of four bytes. */
const shortestSingle = (value: number): string => {
  for (let digits = 6; digits < 9; digits++) {
    const text = String(Number(value.toPrecision(digits)))
    if (Math.fround(Number(text)) === Math.fround(value)) return text
  }
  return String(value)
}

/**
 * Returns the shortest text of a floating-point number, such as 0.1 for 0.10000000000000001. Redshift writes 17 digits
 * when it writes all. Texts such as NaN stay as they are.
 */
export const shortest = (type: number, text: string): string => {
  const value = Number(text)
  if (!Number.isFinite(value)) return text
  if (Object.is(value, -0)) return '-0'
  return type === float4 ? shortestSingle(value) : String(value)
}

/** Creates the conversion of rows with columns of these types; undefined if no column has floating-point numbers. */
export const shortestFloats = (types: readonly number[]): ((row: DataRow) => DataRow) | undefined => {
  if (!types.some((type) => type === float4 || type === float8)) return undefined
  return (row) =>
    row.map((text, at) => {
      const type = types[at] ?? 0
      return text !== null && (type === float4 || type === float8) ? shortest(type, text) : text
    })
}
