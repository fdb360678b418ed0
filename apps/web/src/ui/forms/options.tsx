/** The options of a select box. Without `title`, each value is its own text. */
export const Options = <Value extends string | number>({
  of: values,
  title = String,
}: {
  of: readonly Value[]
  title?: (value: Value) => string
}) =>
  values.map((value) => (
    <option key={value} value={value}>
      {title(value)}
    </option>
  ))
