/** The options of a choice of one; without `title`, each value is shown as it is. */
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
