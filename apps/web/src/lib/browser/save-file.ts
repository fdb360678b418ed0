/** Makes the browser save a text as a file; `name` is the complete file name. */
export const saveFile = (name: string, text: string, type: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Makes the browser save JSON text as a file. */
export const saveJson = (name: string, text: string): void => saveFile(name, `${text}\n`, 'application/json')
