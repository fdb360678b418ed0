// Runs before all other scripts: the strict content policy forbids compiled validators, and a page with a chosen theme
// must not first appear in the other theme. The storage key is that of src/lib/browser/ui-store.ts.
globalThis.__zod_globalConfig = { jitless: true }
// If the browser offers no storage, stores the values in memory, so that they last as long as the page.
for (const name of ['localStorage', 'sessionStorage'])
  try {
    globalThis[name].getItem('')
  } catch {
    const kept = new Map()
    const value = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, text) => kept.set(key, String(text)),
      removeItem: (key) => kept.delete(key),
    }
    Object.defineProperty(globalThis, name, { configurable: true, value })
  }
try {
  const theme = JSON.parse(localStorage.getItem('tributary-ui') ?? '{}').state?.theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // If the stored entry is invalid, the theme of the system applies.
}
