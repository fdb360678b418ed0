/** Returns the type inside `Nullable` and `LowCardinality`, which do not affect the values. The result has one line. */
export const plainType = (type: string): string => {
  const line = type.replace(/\s+/g, ' ').replaceAll('( ', '(')
  const [, inner] = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(line) ?? []
  return inner === undefined ? line : plainType(inner)
}

/** Whether a column of this type can be null. */
export const isNullable = (type: string): boolean => /^(?:LowCardinality\()?(?:Nullable|Variant|Dynamic)\b/.test(type)

const composite =
  /^(?:Array|Map|Tuple|Nested|JSON|Object|Variant|Dynamic|Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon|Geometry)\b/

/** Whether a type has several values, or values of several types. Such values are read as JSON. */
export const isComposite = (type: string): boolean => composite.test(plainType(type))
