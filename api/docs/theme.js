// Shows the page in the theme of the application, otherwise in the system theme.
const chosen = localStorage.getItem('takt-theme')
const device = matchMedia('(prefers-color-scheme: dark)')

function show() {
  const isDark = chosen === 'light' || chosen === 'dark' ? chosen === 'dark' : device.matches
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  // The name that Swagger UI looks for.
  document.documentElement.classList.toggle('dark-mode', isDark)
}

show()
device.addEventListener('change', show)
