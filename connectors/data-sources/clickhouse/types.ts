/** The type inside `Nullable` and `LowCardinality`, which say nothing about a value, in one line. */
export const plainType = (type: string): string => {
  const line = type.replace(/\s+/g, ' ').replaceAll('( ', '(')
  const [, inner] = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(line) ?? []
  return inner === undefined ? line : plainType(inner)
}

/** True if a column can be null. */
export const isNullable = (type: string): boolean => /^(?:LowCardinality\()?(?:Nullable|Variant|Dynamic)\b/.test(type)

const composite =
  /^(?:Array|Map|Tuple|Nested|JSON|Object|Variant|Dynamic|Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon|Geometry)\b/

/** True for a type with several values, or with values of several types: they are read as JSON. */
export const isComposite = (type: string): boolean => composite.test(plainType(type))
