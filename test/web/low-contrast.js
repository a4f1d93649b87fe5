export function lowContrast() {
  // Its text is evaluated in the page, so it stands alone in its file: texts with a contrast under 4.5 to what is behind them.
  const channels = color => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = color => {
    const [red, green, blue] = channels(color).map(channel => {
      const part = channel / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = element => {
    const color = getComputedStyle(element).backgroundColor
    const isClear = channels(color)[3] === 0
    return isClear && element.parentElement ? behind(element.parentElement) : color
  }
  const hasText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim() !== '')
  const ratioOf = element => {
    const tones = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => b - a)
    return (tones[0] + 0.05) / (tones[1] + 0.05)
  }
  return [...document.querySelectorAll('body *')]
    .filter(element => hasText(element) && element.getClientRects().length > 0 && ratioOf(element) < 4.5)
    .map(element => `${element.tagName} ${element.className} ${element.textContent} ${ratioOf(element).toFixed(2)}`)
}
