/** Has the browser save a text as a file of JSON; `name` is the whole name of the file. */
export const saveJson = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
