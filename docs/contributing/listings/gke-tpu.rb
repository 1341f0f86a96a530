class GkeTpu < Formula
  include Language::Python::Virtualenv

  desc "Checks plans of Cloud TPU slices on GKE against a sourced catalog"
  homepage "https://OWNER.github.io/pulumi-gke-tpu/"
  url "https://files.pythonhosted.org/packages/source/g/gke-tpu/gke_tpu-0.1.0.tar.gz"
  license "Apache-2.0"

  depends_on "libyaml"
  depends_on "python@3.13"

  # `brew update-python-resources gke-tpu` writes the resources; `brew fetch --formula gke-tpu` prints the checksum.

  def install
    virtualenv_install_with_resources
  end

  test do
    (testpath/"plan.yaml").write <<~YAML
      version: 1
      project: my-project
      clusters:
        dev:
          mode: autopilot
          location: us-central1
          slices:
            notebook: {tpu: v5e, topology: 2x2}
    YAML
    assert_match "no findings", shell_output("#{bin}/gke-tpu validate")
  end
end
