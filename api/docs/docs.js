window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  // Nothing is sent to another service.
  validatorUrl: null,
  persistAuthorization: false,
})
